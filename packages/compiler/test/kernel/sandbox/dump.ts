import type { IpFamily } from '@kube-rules/types'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { type CommandExecutor, succeeded } from './sandbox.js'
import { iptablesTools, withoutComments, withoutMadeUp } from './tools.js'

// The state of a machine in a normal form: machines with the same rules are equal, regardless of their history.

/** Dumps the tables as `iptables-save` prints them, in order of name, without counters and without empty tables. */
export async function dumpTables(run: CommandExecutor, family: IpFamily, backend: IptablesBackend): Promise<string> {
  const text = await outputOf(run, [iptablesTools(family, backend).save])
  const tables = withoutCounters(withoutComments(text)).match(/^\*.*?^COMMIT\n/gms) ?? []
  return tables.filter(holdsSomething).sort().join('')
}

/** Removes counters, because they include packets of the machine itself. */
function withoutCounters(text: string): string {
  return text.replace(/ \[\d+:\d+\]$/gm, '')
}

/** Reports whether a table has rules, user-defined chains, or a policy. */
function holdsSomething(table: string): boolean {
  return /^(-A|:\S+ (-|DROP))/m.test(table)
}

/** Dumps the sets as `ipset save` prints them, in order of name, without properties that depend on their history. */
export async function dumpSets(run: CommandExecutor): Promise<string> {
  const text = await outputOf(run, ['ipset', 'save'])
  const lines = withoutMadeUp(text).replace(/ hashsize \d+/g, '')
  return lines.split('\n').sort().join('\n')
}

/** Dumps the addresses of a device, sorted. */
export async function dumpAddresses(run: CommandExecutor, device: string): Promise<readonly string[]> {
  const text = await outputOf(run, ['ip', '-json', 'address', 'show', 'dev', device])
  const [found] = JSON.parse(text) as readonly [{ readonly addr_info: readonly { readonly local: string }[] }]
  return found.addr_info.map(({ local }) => local).sort()
}

/** Dumps the lines of `ipvsadm -Sn`, sorted, because the kernel has its own order. */
export async function dumpVirtualServers(run: CommandExecutor): Promise<readonly string[]> {
  const text = await outputOf(run, ['ipvsadm', '-Sn'])
  return text.split('\n').filter(Boolean).sort()
}

async function outputOf(run: CommandExecutor, command: readonly string[]): Promise<string> {
  const ran = await run(command)
  succeeded(ran)
  return ran.stdout
}
