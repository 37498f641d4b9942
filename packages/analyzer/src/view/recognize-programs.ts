import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'
import { recognizeRule } from '../neighbors/recognize-rule.js'
import type { PrintedLine } from './printed-line.js'

/**
 * Returns for each line of `printLines` the name of the other program that writes it: `Calico`. The name is empty for
 * lines of kube-proxy, of the kubelet and of unknown programs, for lines that only their form or interface suggests to be
 * of a program, and for lines without a rule or chain.
 */
export function recognizePrograms(lines: readonly PrintedLine[]): readonly string[] {
  const shape = { text: 'text', subsystem: 'text', location: 'text', servicePort: 'text' } as const
  checkShape('lines', lines, [shape], 'lines of printLines')
  return lines.map((line) => (line.servicePort === '' ? programOf(line) : ''))
}

function programOf({ text, subsystem, location }: PrintedLine): string {
  // `filter/INPUT`, or `nftables inet firewalld chain filter_INPUT`.
  const pattern = subsystem === 'iptables' ? /^(\w+)\/(\S+)$/ : /^(nftables \S+ \S+) chain (\S+)$/
  const [, name, chain] = pattern.exec(location) ?? []
  if (name === undefined || chain === undefined) return ''
  const table = subsystem === 'iptables' ? `iptables ${name}` : name
  const [, jumpsTo = ''] = /(?: -[jg]|\b(?:jump|goto)) (\S+)/.exec(text) ?? []
  const recognized = recognizeRule({ table, chain, text, comment: '', jumpsTo }, () => [])
  return recognized?.isLikely === false ? recognized.neighbor.name : ''
}
