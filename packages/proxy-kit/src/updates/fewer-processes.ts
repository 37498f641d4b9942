import type { Dump, ToolCommand } from '@kube-rules/compiler'

/** The arguments of a command that inserts a missing jump, such as `-w 5 -t filter -I INPUT -j KUBE-FIREWALL`. */
const INSERTION = /^-w 5 -t (\w+) (-I (\w+) -j (\S+))$/

/**
 * Adds the missing jumps to the last `iptables-restore` input of each family. This saves two processes per jump: its
 * check and its insertion. `commands` must belong to an update that starts from the dump `held`. The dump shows which
 * jumps are missing, so no check is necessary.
 */
export function batchMissingJumps(commands: readonly ToolCommand[], held: Dump): readonly ToolCommand[] {
  const joined: ToolCommand[] = []
  const lines = new Map<string, Map<string, string>>()
  for (const command of commands) {
    const { tool, args, skipIf } = command
    const [, table, line, chain, to] = (skipIf && INSERTION.exec(args.join(' '))) ?? []
    const { iptables } = held[tool.startsWith('ip6') ? 'IPv6' : 'IPv4']
    if (table === undefined || iptables === undefined) {
      joined.push(command)
      continue
    }
    const jumps = iptables.tables.find(({ name }) => name === table)?.jumps ?? []
    const isHeld = jumps.some((rule) => {
      const isSame = rule.target?.kind === 'jump' && rule.target.chain === to
      return isSame && rule.chain === chain && rule.matches.length === 0
    })
    if (isHeld) continue
    const own = lines.get(tool) ?? new Map<string, string>()
    lines.set(tool, own.set(table, `${own.get(table) ?? ''}${line}\n`))
  }
  for (const [tool, own] of lines) {
    const input = Array.from(own, ([table, text]) => `*${table}\n${text}COMMIT\n`).join('')
    const at = joined.map((each) => [each.tool, ...each.args].join(' ')).lastIndexOf(`${tool}-restore -w 5 --noflush`)
    const last = joined[at]
    if (last !== undefined) joined[at] = { ...last, input: last.input + input }
    else joined.push({ tool: `${tool}-restore`, args: ['-w', '5', '--noflush'], input, purpose: 'insert jumps' })
  }
  return joined
}

/**
 * Removes the existence checks of nfacct counters from the commands of an update, and the commands for counters that
 * already exist. `counters` are the names of the existing counters, as `nfacct list` prints them.
 */
export function skipCounterChecks(
  commands: readonly ToolCommand[],
  counters: readonly string[],
): readonly ToolCommand[] {
  const known = new Set(counters)
  return commands.flatMap((command) => {
    const { skipIf, ...unconditional } = command
    const name = skipIf?.at(-1)
    if (command.tool !== 'nfacct' || name === undefined) return [command]
    if (known.has(name)) return []
    known.add(name)
    return [unconditional]
  })
}

/** The commands of an update: those to run now, and those that can wait for the next update. */
export interface PostponedCommands {
  /** The commands to run now, in order. */
  readonly commands: readonly ToolCommand[]
  /** The commands to pass to the next update as `before`; empty if nothing is postponed. */
  readonly later: readonly ToolCommand[]
}

/**
 * Postpones the deletion of nftables chains that no rule refers to any more to the transaction of the next update, so
 * that an update needs one transaction instead of two. `before` are the commands that the last update has postponed. If
 * an update fails, the next update starts from a dump and deletes the chains itself. kube-proxy postpones these
 * deletions, too.
 */
export function postponeDeletions(commands: readonly ToolCommand[], before: readonly ToolCommand[]): PostponedCommands {
  const isDeletion = ({ tool, input }: ToolCommand) => tool === 'nft' && /^(delete chain .*\n)+$/.test(input)
  const later = commands.filter(isDeletion)
  const now = commands.filter((command) => !isDeletion(command))
  const [first, ...others] = now
  const chains = before.flatMap(({ input }) => input.match(/(?<=^delete chain \S+ \S+ ).*$/gm) ?? [])
  const words = new Set(chains.length === 0 ? [] : commands.flatMap(({ input }) => input.split(/[\s,;{}]+/)))
  const isUsedAgain = chains.some((name) => words.has(name))
  if (first?.tool !== 'nft' || isUsedAgain) return { commands: [...before, ...now], later }
  const input = before.map((each) => each.input).join('') + first.input
  return { commands: [{ ...first, input }, ...others], later }
}
