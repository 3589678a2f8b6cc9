/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <stdlib.h>

#include <linux/gfp.h>
#include <linux/types.h>

#define SLAB_ACCOUNT 0

/**
 * struct kmem_cache - objects of one size
 * @size: Bytes in an object.
 * @live: Objects that are allocated.
 */
struct kmem_cache {
	size_t size;
	size_t live;
};

struct kmem_cache *shim_cache_create(size_t size);
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags);
int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t flags, size_t nr,
			  void **objects);
void kmem_cache_free(struct kmem_cache *cache, void *object);
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t nr, void **objects);
void kmem_cache_destroy(struct kmem_cache *cache);

/* Filled with a pattern: nobody may count on zeroes. */
void *kvmalloc(size_t size, gfp_t flags);

#define KMEM_CACHE(type, flags) shim_cache_create(sizeof(struct type))

static inline void *kzalloc(size_t size, gfp_t flags)
{
	return calloc(1, size);
}

static inline void *kvcalloc(size_t nr, size_t size, gfp_t flags)
{
	return calloc(nr, size);
}

static inline void kfree(void *memory)
{
	free(memory);
}

static inline void kvfree(void *memory)
{
	free(memory);
}

#endif /* SHIM_LINUX_SLAB_H */
