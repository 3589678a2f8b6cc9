// SPDX-License-Identifier: GPL-2.0
/*
 * What of the kernel the layers need in user space, beyond macros
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bug.h>
#include <linux/random.h>
#include <linux/slab.h>

struct kmem_cache *shim_cache_create(size_t size)
{
	struct kmem_cache *cache = calloc(1, sizeof(*cache));

	cache->size = size;
	return cache;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags)
{
	void *object = malloc(cache->size);

	cache->live += !!object;
	return object ? memset(object, 0xa5, cache->size) : NULL;
}

int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t flags, size_t nr,
			  void **objects)
{
	size_t i;

	for (i = 0; i < nr; i++)
		objects[i] = kmem_cache_alloc(cache, flags);
	return nr;
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	cache->live--;
	free(object);
}

void kmem_cache_free_bulk(struct kmem_cache *cache, size_t nr, void **objects)
{
	size_t i;

	for (i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
}

/* As in the kernel, objects that are left are a bug. */
void kmem_cache_destroy(struct kmem_cache *cache)
{
	WARN_ON_ONCE(cache->live);
	free(cache);
}

void *kvmalloc(size_t size, gfp_t flags)
{
	void *memory = malloc(size);

	return memory ? memset(memory, 0xa5, size) : NULL;
}

u64 shim_random_state;

u64 get_random_u64(void)
{
	shim_random_state += 0x9e3779b97f4a7c15ULL;
	return (shim_random_state ^ shim_random_state >> 31) * 0xd1342543de82ef95ULL;
}
