# SPDX-License-Identifier: GPL-2.0
# The version of the command and the library. The library's soname has the first number.
VERSION ?= 0.3.0
