import type { VerifyReport } from '@kube-rules/analyzer'
import { findVersionsOfDump } from '@kube-rules/analyzer/verify'
import { type CompileResult, type Dump, listModes } from '@kube-rules/compiler'
import type { CompileOptionValues } from './compile-cluster.js'
import type { Cluster } from './read-cluster.js'

/** A version of kube-proxy that neither the user nor the Node defines. */
export interface AssumedVersion {
  /** The newest version that writes the rules of the dump; undefined if the dump does not determine it. */
  readonly ofDump?: string | undefined
}

/** Returns the version to verify a node with if neither the user nor the Node defines one; undefined if one does. */
export function assumeVersion(
  { nodeVersion, configuration }: Cluster,
  { kubernetesVersion, mode }: CompileOptionValues,
  dump: Dump,
): AssumedVersion | undefined {
  if (kubernetesVersion !== undefined || nodeVersion !== undefined) return undefined
  const name = listModes().find((each) => each === (mode ?? configuration?.mode))
  return { ofDump: name === undefined ? undefined : findVersionsOfDump(name, dump).at(-1) }
}

/**
 * Returns a note about an assumed version, without a `note: ` prefix. There is none if the node has exactly the rules of
 * the newest version.
 */
export function noteAssumedVersion(
  assumed: AssumedVersion | undefined,
  { kubernetesVersion }: Pick<CompileResult, 'kubernetesVersion'>,
  { verdict }: Pick<VerifyReport, 'verdict'>,
): readonly string[] {
  if (assumed === undefined || (assumed.ofDump === undefined && verdict !== 'drift')) return []
  const source = assumed.ofDump === undefined ? 'the newest' : 'the newest with a table like that of the dump'
  return [
    `no version of the node is known: rules of kube-proxy ${kubernetesVersion}, ${source}; --kubernetes-version selects another`,
  ]
}
