import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IpFamily, KubeProxyConfiguration, Node } from '@kube-rules/types'
import fc from 'fast-check'
import type { CompileInput, CompileOptions, CompileResult } from '../../src/compilation/compile-result.js'
import { compile } from '../../src/compile.js'
import { iptablesStates } from '../support/compiled.js'
import { histories as generated } from '../support/edits.js'
import { hasIpvsMatch } from './real-inputs.js'

/** What a cluster came to, step by step: each result was compiled from the one before. */
export interface History {
  readonly name: string
  readonly results: readonly CompileResult[]
}

/** Generated histories, always the same ones. */
export function generatedHistories(count: number): readonly History[] {
  const sampled = fc.sample(generated, { numRuns: count, seed: 3 })
  return sampled.map(({ inputs, options }, index) => ({
    name: `the generated history ${index}`,
    results: compileSteps(inputs.map(withoutCounters), options),
  }))
}

/** The cases of a folder with two or more steps; none without the variable `KUBE_RULES_CONFORMANCE`, its path. */
export function conformanceHistories(): readonly History[] {
  const folder = process.env.KUBE_RULES_CONFORMANCE
  if (folder === undefined || folder === '') return []
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().flatMap((file) => readCase(join(folder, file)))
}

interface ConformanceCase {
  readonly name: string
  readonly ipFamily: IpFamily
  readonly host: CompileInput['host']
  readonly steps: readonly { readonly objects: readonly { readonly kind: string }[] }[]
}

function readCase(path: string): readonly History[] {
  const { name, ipFamily, host, steps } = JSON.parse(readFileSync(path, 'utf8')) as ConformanceCase
  const inputs = steps.map(({ objects }) => inputOf(objects, host))
  const isSupported = inputs.every(({ configuration }) => configuration?.mode !== 'nftables')
  if (steps.length < 2 || !isSupported) return []
  const [node] = (inputs[0]?.nodes ?? []) as readonly Node[]
  const nodeName = node?.metadata?.name ?? undefined
  return [{ name, results: compileSteps(inputs, { nodeName, kubernetesVersion: '1.30', families: [ipFamily] }) }]
}

function inputOf(objects: readonly { readonly kind: string }[], host: CompileInput['host']): CompileInput {
  const ofKind = <Item>(kind: string) =>
    objects.filter((object) => object.kind === kind) as readonly unknown[] as Item[]
  return withoutCounters({
    services: ofKind('Service'),
    endpointSlices: ofKind('EndpointSlice'),
    endpoints: ofKind('Endpoints'),
    nodes: ofKind('Node'),
    configuration: ofKind<KubeProxyConfiguration>('KubeProxyConfiguration')[0],
    host,
  })
}

/** The counters of nfacct would have to exist before. */
function withoutCounters<Input extends CompileInput>(input: Input): Input {
  return { ...input, host: { ...input.host, nfacctCounters: false } }
}

function compileSteps(inputs: readonly CompileInput[], options: CompileOptions): readonly CompileResult[] {
  const results: CompileResult[] = []
  for (const input of inputs) results.push(compile(input, { ...options, previous: results.at(-1) }))
  return results
}

/** Whether some rule matches virtual servers, for which the kernel needs the module ip_vs. */
export function needsIpvs({ results }: History): boolean {
  return results.some((result) => iptablesStates(result).some(hasIpvsMatch))
}
