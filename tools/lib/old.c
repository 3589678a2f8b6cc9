// SPDX-License-Identifier: MIT
/*
 * What programs call that were linked with an older version, and no header declares
 * any more.  Only in the shared library: a program is not linked with this.
 */
#include "internal.h"

/* In 0.1 and 0.2 this was twheel_touch(), a name that is another function's now. */
__attribute__((visibility("default"))) int twheel_old_touch(int fd, uint64_t id);

__asm__(".symver twheel_old_touch, twheel_touch@LIBTWHEEL_0.1");

int twheel_old_touch(int fd, uint64_t id)
{
	return twheel_reset_id(fd, id);
}
