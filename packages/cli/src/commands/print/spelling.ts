import { type CompileResult, type IpvsPart, type ResultOf, render } from '@kube-rules/compiler'
import type { IpFamily } from '@kube-rules/types'
import { UsageError } from '../../errors.js'

/** The options that say how the rules are to be spelled. */
export interface Spelling {
  readonly part?: IpvsPart | undefined
  readonly style?: 'restore' | 'save' | 'listing' | undefined
  readonly backend?: 'nft' | 'legacy' | undefined
}

/** Throws UsageError: a listing is one of virtual servers. */
export function refuseContradiction({ part, style }: Spelling): void {
  if (style !== 'listing' || part === undefined || part === 'ipvsadm') return
  throw new UsageError(`option --style listing is only for --part ipvsadm, not ${part}`)
}

/** Throws UsageError where an option asks for what only mode ipvs has. */
export function refuseIpvsOptions({ part, style }: Spelling, mode: string): void {
  if (part !== undefined) throw new UsageError(`option --part is only for mode ipvs; the mode is ${mode}`)
  if (style === 'listing') throw new UsageError(`option --style listing is only for mode ipvs; the mode is ${mode}`)
}

/** The rules of one family. */
export function spell(result: CompileResult, family: IpFamily, spelling: Spelling): string {
  if (result.mode === 'ipvs') return spellIpvs(result, family, spelling)
  const { style, backend } = spelling
  return render(result, { family, style: style === 'save' ? 'save' : 'restore', backend })
}

function spellIpvs(result: ResultOf<'ipvs'>, family: IpFamily, { part, style, backend }: Spelling): string {
  if (style === 'listing') return render(result, { family, style, part: 'ipvsadm' })
  return render(result, { family, part, style, backend })
}

/** Every part of mode ipvs alone. A listing is one of virtual servers; the other parts are then spelled for restoring. */
export function spellParts(result: ResultOf<'ipvs'>, family: IpFamily, { style, backend }: Spelling): object {
  const other = style === 'listing' ? 'restore' : style
  const spellPart = (part: IpvsPart) => spellIpvs(result, family, { part, style: other, backend })
  return {
    ipset: spellPart('ipset'),
    ipvsadm: spellIpvs(result, family, { part: 'ipvsadm', style, backend }),
    addresses: spellPart('addresses'),
    iptables: spellPart('iptables'),
  }
}
