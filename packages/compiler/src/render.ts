import type { IpFamily } from '@kube-rules/types'
import type { CompileResult, FamilyResult, ResultOf } from './compile.js'
import type { IptablesState } from './dataplane/iptables/ast.js'
import { printRestore } from './dataplane/iptables/print.js'
import { type Backend, printSave } from './dataplane/iptables/print-save.js'
import { type IpvsPart, renderIpvs } from './render-ipvs.js'

export interface RenderOptions {
  readonly family: IpFamily
  /**
   * `restore` (default): what kube-proxy feeds to `iptables-restore --noflush`. `save`: what `iptables-save` prints
   * after the kernel took that text and the jumps from built-in chains, without its `#` lines.
   */
  readonly style?: 'restore' | 'save' | undefined
  /** Whose `iptables-save`, where the two differ. Default `nft`. */
  readonly backend?: Backend | undefined
}

/**
 * Options for mode ipvs. `part` picks the input of one tool: `ipset` is for `ipset restore -exist`, `ipvsadm` for
 * `ipvsadm -R`, `addresses` for `ip -force -batch -`, `iptables` for `iptables-restore --noflush`. The style `save` is
 * what `ipset -sorted save`, `ipvsadm -Sn` and `iptables-save` print; addresses have one style. The style `listing` is
 * what `ipvsadm -Ln` prints.
 */
export type IpvsRenderOptions =
  | (RenderOptions & { readonly part?: IpvsPart | undefined })
  | { readonly family: IpFamily; readonly part: 'ipvsadm'; readonly style: 'listing' }

/**
 * The text of one family's rules, in whole lines. Empty where the family was not compiled. IPv6 text is for
 * `ip6tables-restore`.
 *
 * For mode ipvs without `part` it is all parts in the order in which they are to be applied, each under a line with its
 * name, such as `# ipset`.
 */
export function render(result: CompileResult, options: RenderOptions): string
export function render(result: ResultOf<'ipvs'>, options: IpvsRenderOptions): string
export function render(result: CompileResult, options: RenderOptions | IpvsRenderOptions): string {
  if (result.mode === 'ipvs') {
    const state = stateOf(result.families, options.family)
    return state === undefined ? '' : renderIpvs(state, options)
  }
  const state = stateOf(result.families, options.family)
  return state === undefined ? '' : renderIptables(state, options as RenderOptions)
}

function stateOf<State>(families: readonly FamilyResult<State>[], family: IpFamily): State | undefined {
  return families.find((result) => result.family === family)?.state
}

function renderIptables(state: IptablesState, { style, backend }: RenderOptions): string {
  return style === 'save' ? printSave(state, { backend: backend ?? 'nft' }) : printRestore(state)
}
