/* SPDX-License-Identifier: GPL-2.0 */
/* There is no code of tracepoints. */
