import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Host, IpFamily, KubeProxyConfiguration, Node } from '@kube-rules/types'
import type { CompileInput, CompileOptions } from '../../src/compilation/compile-result.js'
import { isCompiledMode, SUBSYSTEMS_OF_MODE } from '../../src/targets/modes.js'

/** What the real kube-proxy did, step by step, with the objects of each step. `Expected` is what a test reads of it. */
export interface RecordedCase<Expected = unknown> {
  readonly name: string
  readonly ipFamily: IpFamily
  readonly host: Host | undefined
  /** Which kube-proxy it was; absent: 1.30. */
  readonly kubernetesVersion?: string
  readonly steps: readonly RecordedStep<Expected>[]
}

export interface RecordedStep<Expected = unknown> {
  readonly objects: readonly { readonly kind: string }[]
  readonly expected: Expected
}

/**
 * The cases of the folders that `KUBE_RULES_CONFORMANCE` names (several are joined as in `PATH`); none where it is not set.
 * Cases of modes without rules of iptables are left out: `pnpm conformance` has all.
 */
export function recordedCases<Expected>(): readonly RecordedCase<Expected>[] {
  const folders = (process.env.KUBE_RULES_CONFORMANCE ?? '').split(delimiter).filter((folder) => folder !== '')
  const all = folders.flatMap((folder) => readFolder<Expected>(folder))
  const hasRules = (step: RecordedStep) => {
    const mode = modeOf(step)
    return isCompiledMode(mode) && SUBSYSTEMS_OF_MODE[mode].includes('iptables')
  }
  return all.filter(({ steps }) => steps.every(hasRules))
}

function readFolder<Expected>(folder: string): readonly RecordedCase<Expected>[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

function modeOf(step: RecordedStep): string {
  return inputOf(step, undefined).configuration?.mode || 'iptables'
}

/** What a step gives to `compile`. */
export function inputOf({ objects }: RecordedStep, host: Host | undefined): CompileInput {
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

/** As which kube-proxy, for which node, a step of a case is compiled. */
export function optionsOf({ ipFamily, kubernetesVersion = '1.30' }: RecordedCase, step: RecordedStep): CompileOptions {
  const [node] = (inputOf(step, undefined).nodes ?? []) as readonly Node[]
  return { nodeName: node?.metadata?.name ?? undefined, kubernetesVersion, families: [ipFamily] }
}
