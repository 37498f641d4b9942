import type { HostFacts } from '@kube-rules/types'
import fc from 'fast-check'
import type { Cluster } from '../../../testing/src/arbitraries/cluster.js'
import { clusters } from '../../../testing/src/arbitraries/clusters.js'
import { understood } from '../../../testing/src/arbitraries/configurations.js'
import { NODE_NAMES, OBJECT_NAMES } from '../../../testing/src/arbitraries/object-names.js'
import { oneOf, type Weighted } from '../../../testing/src/arbitraries/weighted.js'
import type { CompileOptions } from '../../src/compilation/compile-result.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { drawnVersions } from './drawn-versions.js'

// Generates inputs of `compile` with options. `@kube-rules/testing` generates the objects.

export interface Case {
  readonly cluster: Cluster
  readonly options: CompileOptions & { readonly mode: ProxyMode }
}

type OptionsOfMode = CompileOptions & { readonly mode: ProxyMode }

const ofOneVersion: fc.Arbitrary<OptionsOfMode & { readonly oldVersion: string }> = fc.record({
  mode: oneOf<ProxyMode>([4, 'iptables'], [2, 'ipvs'], [2, 'nftables'], [1, 'userspace']),
  nodeName: oneOf([7, NODE_NAMES[0]], [1, 'node-3'], [1, undefined]),
  kubernetesVersion: oneOf<string | undefined>(
    [2, undefined],
    ...drawnVersions('iptables').map((version): Weighted<string> => [1, version]),
  ),
  oldVersion: fc.constantFrom(...drawnVersions('userspace')),
})

const compileOptions: fc.Arbitrary<OptionsOfMode> = ofOneVersion.map(({ oldVersion, ...options }) =>
  options.mode === 'userspace' && options.kubernetesVersion !== undefined
    ? { ...options, kubernetesVersion: oldVersion }
    : optionsOfMode(options, options.mode),
)

/** Adapts the options to one mode; uses the newest version if the mode is not drawn in theirs. */
export function optionsOfMode<Mode extends ProxyMode>(
  { kubernetesVersion, ...options }: CompileOptions,
  mode: Mode,
): CompileOptions & { readonly mode: Mode } {
  const isDrawn = kubernetesVersion === undefined || drawnVersions(mode).includes(kubernetesVersion)
  return { ...options, mode, kubernetesVersion: isDrawn ? kubernetesVersion : undefined }
}

/** The port names of `services.ts`, and the empty name. */
const PORT_NAMES = ['', 'http', 'https', 'dns', 'dns-tcp', 'sig']

/**
 * Fixed local ports, because the choice of free ports depends on previous results: `userspace/proxy-ports` covers that.
 */
const PROXY_PORTS: Readonly<Record<string, number>> = Object.fromEntries(
  [...OBJECT_NAMES, { namespace: 'good', name: 'web' }]
    .flatMap(({ namespace, name }) => PORT_NAMES.map((port) => `${namespace}/${name}${port && ':'}${port}`))
    .map((text, index) => [text, 41_000 + index]),
)

/** Adds the fields that userspace mode needs to a host. */
function understoodHost(host: HostFacts | undefined, { mode }: CompileOptions): HostFacts | undefined {
  return mode === 'userspace' ? { ...host, proxyPorts: PROXY_PORTS } : host
}

/** Generates a valid input, and the options to compile it with. */
export const cases: fc.Arbitrary<Case> = fc
  .record({ cluster: clusters, options: compileOptions })
  .map(({ cluster, options }) => ({ cluster: understoodCluster(cluster, options), options }))

/** Adapts the configuration of a cluster to the kube-proxy version in `options`. */
export function understoodCluster(cluster: Cluster, options: CompileOptions): Cluster {
  const host = understoodHost(cluster.host, options)
  return { ...cluster, configuration: understood(cluster.configuration, options), host }
}
