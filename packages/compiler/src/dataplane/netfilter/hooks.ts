/** The netfilter hooks on the path of a packet. */
export type Hook = 'PREROUTING' | 'INPUT' | 'FORWARD' | 'OUTPUT' | 'POSTROUTING'

/** The hooks in the order of their kernel numbers. */
export const HOOKS: readonly Hook[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING']

/**
 * The priorities of each table at the hooks (`NF_IP_PRI_*` of the kernel). Lower priorities come first. A table has
 * built-in chains only for these hooks.
 */
export const HOOK_PRIORITIES: Readonly<
  Record<'raw' | 'mangle' | 'nat' | 'filter' | 'security', Readonly<Partial<Record<Hook, number>>>>
> = {
  raw: { PREROUTING: -300, OUTPUT: -300 },
  mangle: { PREROUTING: -150, INPUT: -150, FORWARD: -150, OUTPUT: -150, POSTROUTING: -150 },
  nat: { PREROUTING: -100, INPUT: 100, OUTPUT: -100, POSTROUTING: 100 },
  filter: { INPUT: 0, FORWARD: 0, OUTPUT: 0 },
  security: { INPUT: 50, FORWARD: 50, OUTPUT: 50 },
}
