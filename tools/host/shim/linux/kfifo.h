/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KFIFO_H
#define SHIM_LINUX_KFIFO_H

#include <linux/types.h>

/*
 * A ring of records whose number is a power of two.  The positions run freely;
 * what is between them is in the ring.
 */
#define DECLARE_KFIFO_PTR(fifo, type)	\
	struct {			\
		type *record;		\
		u32 mask;		\
		u32 in;			\
		u32 out;		\
	} fifo

#define kfifo_init(fifo, buffer, bytes) do {			\
	(fifo)->record = (buffer);				\
	(fifo)->mask = (bytes) / sizeof(*(fifo)->record) - 1;	\
	(fifo)->in = 0;						\
	(fifo)->out = 0;					\
} while (0)

#define kfifo_is_empty(fifo) ((fifo)->in == (fifo)->out)
#define kfifo_is_full(fifo) ((fifo)->in - (fifo)->out > (fifo)->mask)
#define kfifo_len(fifo) ((fifo)->in - (fifo)->out)

#define kfifo_put(fifo, value) ({					\
	bool _room = !kfifo_is_full(fifo);				\
	if (_room)							\
		(fifo)->record[(fifo)->in++ & (fifo)->mask] = (value);	\
	_room;								\
})

#define kfifo_peek(fifo, value) ({					\
	bool _some = !kfifo_is_empty(fifo);				\
	if (_some)							\
		*(value) = (fifo)->record[(fifo)->out & (fifo)->mask];	\
	_some;								\
})

#define kfifo_skip(fifo) ((void)(fifo)->out++)

#define kfifo_get(fifo, value) ({	\
	bool _got = kfifo_peek(fifo, value); \
	if (_got)			\
		kfifo_skip(fifo);	\
	_got;				\
})

#endif /* SHIM_LINUX_KFIFO_H */
