import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { type CommandExecutor, succeeded } from '../sandbox/sandbox.js'
import { iptablesTools } from '../sandbox/tools.js'

// Loads the recorded rules of the real kube-proxy, as its first sync does, whatever rules of kube-proxy exist.

/** The recorded rules of a step: iptables tables, with the rules by table and chain, or `add` commands of nft. */
export interface RecordedRules {
  readonly tables?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly nft?: string
}

/** Loads recorded rules of IPv4 on a node. */
export async function loadRecorded(run: CommandExecutor, { tables, nft }: RecordedRules, backend: IptablesBackend) {
  if (nft !== undefined) return loadTable(run, nft)
  await loadTables(run, tables ?? {}, backend)
}

/** Chains that kube-proxy deletes in its first sync if it does not need them. */
const SERVICE_CHAIN = /^:(KUBE-(?:SVC|SVL|FW|EXT|XLB|SEP)-\S+) /gm

/** Replaces all chains of kube-proxy in one transaction, and inserts the missing jumps before all other rules. */
async function loadTables(
  run: CommandExecutor,
  tables: NonNullable<RecordedRules['tables']>,
  backend: IptablesBackend,
): Promise<void> {
  const { restore, save } = iptablesTools('IPv4', backend)
  const shell = async (script: string, input?: string) => {
    const ran = await run(['sh', '-ec', script], input)
    succeeded(ran)
    return ran.stdout
  }
  const existing = await shell(save)
  for (const [table, chains] of Object.entries(tables)) {
    const own = Object.entries(chains).filter(([chain]) => chain.startsWith('KUBE-'))
    const held = new RegExp(`^\\*${table}\\n(.*?)^COMMIT`, 'ms').exec(existing)?.[1] ?? ''
    const stale = Array.from(held.matchAll(SERVICE_CHAIN), ([, chain]) => `${chain}`).filter(
      (chain) => !(chain in chains),
    )
    const lines = [
      `*${table}`,
      ...[...own.map(([chain]) => chain), ...stale].map((chain) => `:${chain} - [0:0]`),
      ...own.flatMap(([chain, rules]) => rules.map((rule) => `-A ${chain} ${rule}`)),
      ...stale.map((chain) => `-X ${chain}`),
      'COMMIT\n',
    ]
    await shell(`${restore} --noflush`, lines.join('\n'))
    const jumps = Object.entries(chains).filter(([chain]) => !chain.startsWith('KUBE-'))
    const program = `iptables-${backend} -t ${table}`
    const ensured = jumps.flatMap(([chain, rules]) =>
      [...rules]
        .reverse()
        .map((rule) => `${program} -C ${chain} ${rule} 2> /dev/null || ${program} -I ${chain} ${rule}`),
    )
    if (ensured.length > 0) await shell(ensured.join('\n'))
  }
}

/** Replaces the content of the table in one transaction. */
async function loadTable(run: CommandExecutor, nft: string): Promise<void> {
  const listed = await run(['nft', 'list', 'chains', 'ip'])
  const existing = Array.from(listed.stdout.matchAll(/^\tchain (\S+) \{/gm), ([, chain]) => `${chain}`)
  const lines = nft.split('\n').filter((line) => line !== '')
  const isContent = (line: string) => /^add (?:rule|element) /.test(line)
  const names = (kind: string) =>
    [...nft.matchAll(new RegExp(`^add ${kind} (ip \\S+ \\S+)`, 'gm'))].map(([, name]) => name)
  const stale = existing.filter((chain) => !names('chain').includes(`ip kube-proxy ${chain}`))
  const commands = [
    ...lines.filter((line) => !isContent(line)),
    ...['chain', 'set', 'map'].flatMap((kind) => names(kind).map((name) => `flush ${kind} ${name}`)),
    ...lines.filter(isContent),
    ...stale.map((chain) => `flush chain ip kube-proxy ${chain}`),
    ...stale.map((chain) => `delete chain ip kube-proxy ${chain}`),
  ]
  succeeded(await run(['nft', '-f', '-'], `${commands.join('\n')}\n`))
}
