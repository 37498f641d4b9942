import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { IpFamily } from '@kube-rules/types'
import type { PastedCommand } from '../../netfilter/pasted.js'

/** The family, table, chain and output format that an iptables command requests. */
export interface RequestedTable {
  readonly family: IpFamily
  /** The requested table. Undefined if all tables are requested, as by `iptables-save`. */
  readonly table?: TableName | undefined
  /** The only requested chain. Undefined if all chains are requested. */
  readonly chain?: string | undefined
  readonly filter?: PastedCommand['filter']
  /** The output format of `iptables-save`, `iptables -S`, or `iptables -L`. */
  readonly format: 'save' | 'rules' | 'listing'
}

/** Parses a command; undefined for other tools. */
export function parseRequestedTable(command: PastedCommand | undefined): RequestedTable | undefined {
  const tool = /^(ip6?)tables(-save|-restore)?$/.exec(command?.tool ?? '')
  if (command === undefined || tool === null) return undefined
  const { args, filter } = command
  const family = tool[1] === 'ip6' ? 'IPv6' : 'IPv4'
  const named = tableOption(args)
  const table = TABLE_NAMES.find((name) => name === named)
  if (tool[2] !== undefined) return { family, table, filter, format: 'save' }
  const list = args.findIndex((word) => /^(?:-[a-zA-KM-RT-Z]*[LS][a-zA-Z]*|--list(?:-rules)?)$/.test(word))
  const next = args[list + 1]
  const chain = list >= 0 && next !== undefined && /^[A-Za-z][!#-~]*$/.test(next) ? next : undefined
  const format = /^(?:-[a-zA-Z]*L|--list$)/.test(args[list] ?? '') ? 'listing' : 'rules'
  return { family, table: table ?? 'filter', chain, filter, format }
}

/** Returns the value of `-t nat`, `-nt nat`, `-tnat`, `--table nat` or `--table=nat`. */
function tableOption(args: readonly string[]): string | undefined {
  const at = args.findIndex((word) => /^(?:-[a-su-zA-Z]*t|--table)$/.test(word))
  if (at >= 0) return args[at + 1]
  return args.map((word) => /^(?:-[a-su-zA-Z]*t|--table=)(\w+)$/.exec(word)?.[1]).find((word) => word !== undefined)
}
