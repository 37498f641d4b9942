import { compare } from '@kube-rules/analyzer'
import { printComparison } from '@kube-rules/analyzer/compare'
import { traceContextFor } from '@kube-rules/analyzer/explain'
import { type CompileInput, compile } from '@kube-rules/compiler'

/** Compares nftables mode with ipvs mode, family by family. */
export function migration(input: CompileInput): readonly string[] {
  const [ipvs, nftables] = (['ipvs', 'nftables'] as const).map((mode) => compile(input, { mode }).families)
  return (ipvs ?? []).map(({ state, plan }, index) => {
    const other = nftables?.[index]?.state ?? state
    return printComparison(compare(state, other, traceContextFor(plan)), ['ipvs', 'nftables'])
  })
}
