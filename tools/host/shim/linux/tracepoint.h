/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_TRACEPOINT_H
#define SHIM_LINUX_TRACEPOINT_H

#define TP_PROTO(...) __VA_ARGS__
#define TP_ARGS(...) __VA_ARGS__
#define TP_STRUCT__entry(...) __VA_ARGS__
#define TP_fast_assign(...) __VA_ARGS__
#define TP_printk(...)
#define __field(type, name) type name;

/* The entry goes nowhere; that what it is made of can be read is tested. */
#define DECLARE_EVENT_CLASS(class, proto, args, fields, assign, print)	\
	static inline void shim_trace_##class(proto)			\
	{								\
		volatile struct { fields } entry, *__entry = &entry;	\
									\
		assign							\
	}								\
	_Static_assert(1, "class")

#define DEFINE_EVENT(class, name, proto, args)				\
	static inline void trace_##name(proto)				\
	{								\
		shim_trace_##class(args);				\
	}								\
	_Static_assert(1, "event")

#endif /* SHIM_LINUX_TRACEPOINT_H */
