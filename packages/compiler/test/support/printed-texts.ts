import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import { printFamily } from './print-family.js'

/** Returns every text of a result, by its kind. */
export function printedTexts(result: CompileResult): ReadonlyMap<string, string> {
  return new Map(IP_FAMILIES.flatMap((family) => [...printedTextsOfFamily(result, family)]))
}

/** Returns every text of one family. */
export function printedTextsOfFamily(result: CompileResult, family: IpFamily): ReadonlyMap<string, string> {
  const texts = new Map([
    [`${family} restore`, printFamily(result, { family })],
    [`${family} save nft`, printFamily(result, { family, format: 'save', backend: 'nft' })],
    [`${family} save legacy`, printFamily(result, { family, format: 'save', backend: 'legacy' })],
  ])
  if (result.mode !== 'ipvs') return texts
  return texts.set(`${family} listing`, printFamily(result, { family, subsystem: 'ipvs', format: 'listing' }))
}
