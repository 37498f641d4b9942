import { checkIterable, checkObject, checkOptions } from '../arguments/check-argument.js'
import { checkResult } from '../arguments/check-result.js'
import type { CommandOptions } from '../commands/to-commands.js'
import type { CompileResult } from '../compilation/compile-result.js'
import type { ConntrackEntry } from '../dataplane/conntrack/ast.js'
import { createEntryDeletionArguments } from '../dataplane/conntrack/print.js'
import { toConntrackCommands } from '../dataplane/conntrack/script.js'
import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'
import { createStaleConnectionCheck } from '../plan/stale-connections.js'

/**
 * Returns the commands that delete stale UDP entries of a conntrack table. An entry with a frontend of a UDP Service as
 * destination is stale unless the replies come from a serving endpoint of the Service. Read the table after the rules
 * of `result` are applied, for example with `parseConntrack`. Unlike the commands of `toCommands`, which do not depend
 * on the table, these commands keep the entries of live connections.
 *
 * Mirrors `CleanStaleEntries` of kube-proxy since v1.32.
 *
 * @example
 * ```ts
 * const spec = { clusterIP: '10.96.0.53', ports: [{ port: 53, protocol: 'UDP' }] }
 * const result = compile({ services: [{ metadata: { namespace: 'a', name: 'dns' }, spec }], nodes: input.nodes }, { nodeName: 'node-1' })
 * const entry = 'udp 17 29 src=10.244.1.9 dst=10.96.0.53 sport=4 dport=53 src=10.244.1.7 dst=10.244.1.9 sport=53 dport=4'
 * cleanStaleEntries(result, parseConntrack(entry)).map(({ tool }) => tool) // => ['conntrack']
 * ```
 */
export function cleanStaleEntries(
  result: CompileResult,
  entries: Iterable<ConntrackEntry>,
  options: Pick<CommandOptions, 'canBatchConntrack'> = {},
): readonly ToolCommand[] {
  checkResult('result', result)
  const list = checkEntries(entries)
  checkOptions<typeof options>(options, { canBatchConntrack: 'boolean' })
  const checks = new Map(result.families.map(({ family, plan }) => [family, createStaleConnectionCheck(plan)]))
  const stale = list.filter((entry) => checks.get(entry.family)?.(entry) ?? false)
  // The connections of several clients to one endpoint need only one deletion command.
  const deletions = new Map(stale.map(createEntryDeletionArguments).map((args) => [args.join(' '), args]))
  return toConntrackCommands(
    Array.from(deletions.keys())
      .sort()
      .map((key) => deletions.get(key) ?? []),
    options,
  )
}

function checkEntries(entries: Iterable<ConntrackEntry>): readonly ConntrackEntry[] {
  const list = checkIterable('entries', entries, 'an iterable of entries, as parseConntrack returns them')
  for (const [index, entry] of list.entries()) checkObject('entries', entry, 'a conntrack entry', `[${index}]`)
  return list
}
