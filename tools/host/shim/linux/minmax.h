/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

/* Like the kernel's, min and max refuse to compare different types. */
#define shim_same_type(a, b) ((void)((typeof(a) *)1 == (typeof(b) *)1))

#define min(a, b) ({			\
	typeof(a) _a = (a);		\
	typeof(b) _b = (b);		\
	shim_same_type(_a, _b);		\
	_a < _b ? _a : _b;		\
})

#define max(a, b) ({			\
	typeof(a) _a = (a);		\
	typeof(b) _b = (b);		\
	shim_same_type(_a, _b);		\
	_a > _b ? _a : _b;		\
})

#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp_t(type, x, lo, hi) min_t(type, max_t(type, x, lo), hi)
#define clamp(x, lo, hi) clamp_t(typeof(x), x, lo, hi)

#define swap(a, b) do {			\
	typeof(a) _swap = (a);		\
	(a) = (b);			\
	(b) = _swap;			\
} while (0)

#endif /* SHIM_LINUX_MINMAX_H */
