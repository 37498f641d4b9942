import { checkList, checkObject, checkOptions } from '../arguments/check-argument.js'
import { checkResult } from '../arguments/check-result.js'
import type { CompileResult } from '../compilation/compile-result.js'
import type { ConntrackEntry } from '../dataplane/conntrack/ast.js'
import { entryDeletionArguments } from '../dataplane/conntrack/print.js'
import { type ConntrackOptions, scriptConntrack } from '../dataplane/conntrack/script.js'
import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'
import { staleConnectionCheck } from '../plan/live-connections.js'

/**
 * Returns the commands that delete stale UDP entries of a conntrack table. An entry is stale if it leads from a frontend
 * of a UDP Service to anything but a serving endpoint. Read the table after the rules of `result` are applied, for example
 * with `parseConntrack`. Entries of live connections stay, unlike with the commands of `toCommands`, which do not know the table.
 *
 * Mirrors `CleanStaleEntries` of kube-proxy since v1.32.
 *
 * @example
 *   const { ok } = await runCommands(toCommands(patch, { keepsConnections: true }), execute)
 *   if (ok) await runCommands(cleanStaleEntries(result, parseConntrack(await output('conntrack -L -p udp'))), execute)
 */
export function cleanStaleEntries(
  result: CompileResult,
  entries: readonly ConntrackEntry[],
  options: ConntrackOptions = {},
): readonly ToolCommand[] {
  checkResult('result', result)
  checkList('entries', entries, 'the entries that parseConntrack returns').forEach((entry, index) => {
    checkObject('entries', entry, 'an entry that parseConntrack returns', `[${index}]`)
  })
  checkOptions(options)
  const checks = new Map(result.families.map(({ family, plan }) => [family, staleConnectionCheck(plan)]))
  const stale = entries.filter((entry) => checks.get(entry.family)?.(entry) ?? false)
  // Connections of several clients to one endpoint need one deletion.
  const deletions = new Map(stale.map(entryDeletionArguments).map((args) => [args.join(' '), args]))
  return scriptConntrack(
    Array.from(deletions.keys())
      .sort()
      .map((key) => deletions.get(key) ?? []),
    options,
  )
}
