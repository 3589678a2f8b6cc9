// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the words of an instance into a program
 *
 * A mapping has a reference to its file, and with it to the instance.  So what is
 * mapped stays, and needs no lock: is_in_use() in instance.c sees to it that the
 * words of an instance are not replaced any more.
 */
#include <linux/errno.h>
#include <linux/mm.h>

#include "compat.h"
#include "mapping.h"

/* No check of the place: a mapping is as large as the words, and cannot grow. */
static vm_fault_t mapping_fault(struct vm_fault *vmf)
{
	struct twheel_file *tf = vmf->vma->vm_file->private_data;
	const struct twheel_words *words = &tf->group->inst.words;

	vmf->page = virt_to_page(words->page[vmf->pgoff]);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct mapping_ops = {
	.fault = mapping_fault,
};

/* From now on the words stay; false if they are not @pages pages. */
static bool claim_words(struct twheel_instance *inst, unsigned long pages)
{
	bool fits;

	spin_lock_bh(&inst->lock);
	fits = inst->words.nr && pages == twheel_words_pages(&inst->words);
	if (fits)
		inst->words.mapped = true;
	spin_unlock_bh(&inst->lock);
	return fits;
}

/**
 * twheel_mapping_make() - the mmap file operation
 * @tf: The descriptor.
 * @vma: The mapping.
 *
 * Context: May sleep.
 * Return: 0, or -EINVAL if it is not of all the words, shared, writable and not
 * executable.
 */
int twheel_mapping_make(struct twheel_file *tf, struct vm_area_struct *vma)
{
	const vm_flags_t wanted = VM_SHARED | VM_READ | VM_WRITE;

	if ((vma->vm_flags & (wanted | VM_EXEC)) != wanted || vma->vm_pgoff ||
	    !claim_words(&tf->group->inst, vma_pages(vma)))
		return -EINVAL;
	twheel_vm_flags(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	vma->vm_ops = &mapping_ops;
	return 0;
}
