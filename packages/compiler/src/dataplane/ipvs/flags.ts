import { FLAG_SCHED_1, FLAG_SCHED_2, FLAG_SCHED_3 } from './ast.js'

/**
 * The scheduler flags by name, with every name that ipvsadm accepts. `flag-1` to `flag-3` are accepted for every
 * scheduler.
 */
const FLAGS_BY_NAME: ReadonlyMap<string, number> = new Map([
  ['flag-1', FLAG_SCHED_1],
  ['sh-fallback', FLAG_SCHED_1],
  ['mh-fallback', FLAG_SCHED_1],
  ['flag-2', FLAG_SCHED_2],
  ['sh-port', FLAG_SCHED_2],
  ['mh-port', FLAG_SCHED_2],
  ['flag-3', FLAG_SCHED_3],
])

const GENERAL_NAMES: readonly string[] = ['flag-1', 'flag-2', 'flag-3']

/** The names of the flags, for schedulers with names of their own (not only `flag-1` to `flag-3`). */
const NAMES_OF_SCHEDULER: ReadonlyMap<string, readonly string[]> = new Map([
  ['sh', ['sh-fallback', 'sh-port', 'flag-3']],
  ['mh', ['mh-fallback', 'mh-port', 'flag-3']],
])

/**
 * Formats the scheduler flags in `flags` with the names that ipvsadm 1.31 prints: `mh-fallback,mh-port`. Returns an
 * empty string if no scheduler flag is set.
 */
export function printSchedulerFlags(scheduler: string, flags: number): string {
  const names = NAMES_OF_SCHEDULER.get(scheduler) ?? GENERAL_NAMES
  return names.filter((_, index) => (flags & (FLAG_SCHED_1 << index)) !== 0).join(',')
}

/** Parses a comma-separated list of scheduler flags. Returns undefined if a name is unknown. */
export function parseSchedulerFlags(text: string): number | undefined {
  let flags = 0
  for (const name of text.split(',')) {
    const flag = FLAGS_BY_NAME.get(name)
    if (flag === undefined) return undefined
    flags |= flag
  }
  return flags
}
