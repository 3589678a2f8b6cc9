// SPDX-License-Identifier: GPL-2.0
/* What has to add up in the counters of an instance and of a reader. */
#include "session.h"

bool stats_balanced(const struct twheel_stats *stats)
{
	return stats->expired == stats->delivered + stats->withdrawn +
				 stats->dropped + stats->dead +
				 stats->waiting + stats->in_flight +
				 stats->passed_on;
}
