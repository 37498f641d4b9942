import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { type CompileResult, compile } from '../../src/compile.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { type IpvsRenderOptions, render } from '../../src/render.js'
import type { Case } from './clusters.js'

export function compileCase({ cluster, options }: Case): CompileResult {
  return compile(cluster, options)
}

/** Every text a result can be rendered to, by what it is. */
export function renderings(result: CompileResult): ReadonlyMap<string, string> {
  return new Map(IP_FAMILIES.flatMap((family) => [...renderingsOfFamily(result, family)]))
}

/** Every text of one family. */
export function renderingsOfFamily(result: CompileResult, family: IpFamily): ReadonlyMap<string, string> {
  const texts = new Map([
    [`${family} restore`, printFamily(result, { family })],
    [`${family} save nft`, printFamily(result, { family, spelling: 'save', backend: 'nft' })],
    [`${family} save legacy`, printFamily(result, { family, spelling: 'save', backend: 'legacy' })],
  ])
  if (result.mode !== 'ipvs') return texts
  const listing: IpvsRenderOptions = { family, part: 'ipvsadm', style: 'listing' }
  return texts.set(`${family} listing`, printFamily(result, listing))
}

/** The iptables tables of a result, whatever its mode. */
export function iptablesStates(result: CompileResult): readonly IptablesState[] {
  if (result.mode === 'ipvs') return result.families.map(({ state }) => state.iptables)
  return result.families.map(({ state }) => state)
}

/** Freezes everything that can be reached. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
