import fc from 'fast-check'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput, CompileOptions, CompileResult } from '../../src/compilation/compile-result.js'
import { iptablesStates } from '../support/compiled.js'
import { histories as generated } from '../support/edits.js'
import { inputOf, optionsOf, recordedCases } from '../support/recorded-cases.js'
import { hasIpvsMatch } from './real-inputs.js'

/** The results of a cluster step by step, each compiled from the previous one. */
export interface History {
  readonly name: string
  readonly results: readonly CompileResult[]
}

/** Generates histories of modes with iptables rules. They are always the same. */
export function generatedHistories(count: number): readonly History[] {
  const ofRules = generated.filter(({ options: { mode } }) => mode !== 'nftables')
  const sampled = fc.sample(ofRules, { numRuns: count, seed: 3 })
  return sampled.map(({ inputs, options }, index) => ({
    name: `the generated history ${index}`,
    results: compileSteps(inputs.map(withoutCounters), options),
  }))
}

/** Returns the recorded cases with two or more steps; none without the variable `KUBE_RULES_CONFORMANCE`. */
export function conformanceHistories(): readonly History[] {
  return recordedCases().flatMap((recorded) => {
    const [first] = recorded.steps
    if (first === undefined || recorded.steps.length < 2) return []
    const inputs = recorded.steps.map((step) => withoutCounters(inputOf(step, recorded.host)))
    return [{ name: recorded.name, results: compileSteps(inputs, optionsOf(recorded, first)) }]
  })
}

/** Disables the nfacct counters, because they would have to exist in advance. */
function withoutCounters<Input extends CompileInput>(input: Input): Input {
  return { ...input, host: { ...input.host, nfacctCounters: false } }
}

function compileSteps(inputs: readonly CompileInput[], options: CompileOptions): readonly CompileResult[] {
  const results: CompileResult[] = []
  for (const input of inputs) results.push(compile(input, { ...options, previous: results.at(-1) }))
  return results
}

/** Reports whether a rule matches virtual servers, which requires the kernel module ip_vs. */
export function needsIpvs({ results }: History): boolean {
  return results.some((result) => iptablesStates(result).some(hasIpvsMatch))
}
