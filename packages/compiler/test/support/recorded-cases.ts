import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { HostFacts, IpFamily, KubeProxyConfiguration, Node } from '@kube-rules/types'
import type { CompileInput, CompileOptions } from '../../src/compilation/compile-result.js'
import { isProxyMode, SUBSYSTEMS_OF_MODE } from '../../src/targets/modes.js'

/**
 * The recorded behavior of the real kube-proxy, step by step, with the objects of each step. `Expected` is the part
 * that a test reads.
 */
export interface RecordedCase<Expected = unknown> {
  readonly name: string
  readonly ipFamily: IpFamily
  readonly host: HostFacts | undefined
  /** The version of kube-proxy; absent: 1.30. */
  readonly kubernetesVersion?: string
  readonly steps: readonly RecordedStep<Expected>[]
}

export interface RecordedStep<Expected = unknown> {
  readonly objects: readonly { readonly kind: string }[]
  readonly expected: Expected
}

/**
 * Returns the cases of the folders in `KUBE_RULES_CONFORMANCE` (separated as in `PATH`); none if it is not set.
 * Excludes cases of modes without iptables rules: `pnpm conformance` has all.
 */
export function recordedCases<Expected>(): readonly RecordedCase<Expected>[] {
  const hasRules = (step: RecordedStep) => {
    const mode = modeOf(step)
    return isProxyMode(mode) && SUBSYSTEMS_OF_MODE[mode].includes('iptables')
  }
  return allCases<Expected>().filter(({ steps }) => steps.every(hasRules))
}

/** Returns the recorded cases of every mode whose name matches. */
export function recordedCasesNamed<Expected>(pattern: RegExp): readonly RecordedCase<Expected>[] {
  return allCases<Expected>().filter(({ name }) => pattern.test(name))
}

function allCases<Expected>(): readonly RecordedCase<Expected>[] {
  const folders = (process.env.KUBE_RULES_CONFORMANCE ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => readFolder<Expected>(folder))
}

function readFolder<Expected>(folder: string): readonly RecordedCase<Expected>[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

function modeOf(step: RecordedStep): string {
  return inputOf(step, undefined).configuration?.mode || 'iptables'
}

/** Returns the input of `compile` for a step. */
export function inputOf({ objects }: RecordedStep, host: HostFacts | undefined): CompileInput {
  const ofKind = <Item>(kind: string) =>
    objects.filter((object) => object.kind === kind) as readonly unknown[] as Item[]
  return {
    services: ofKind('Service'),
    endpointSlices: ofKind('EndpointSlice'),
    endpoints: ofKind('Endpoints'),
    nodes: ofKind('Node'),
    configuration: ofKind<KubeProxyConfiguration>('KubeProxyConfiguration')[0],
    host,
  }
}

/** Returns the kube-proxy version and node for compiling a step. */
export function optionsOf({ ipFamily, kubernetesVersion = '1.30' }: RecordedCase, step: RecordedStep): CompileOptions {
  const [node] = (inputOf(step, undefined).nodes ?? []) as readonly Node[]
  return { nodeName: node?.metadata?.name ?? undefined, kubernetesVersion, families: [ipFamily] }
}
