import { compile } from '@kube-rules/compiler/internal/compilation/compile'
import type {
  CompileInput,
  CompileOptions,
  CompileResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import { snapshotOf } from '@kube-rules/compiler/internal/compilation/snapshot'
import type { Features } from '@kube-rules/compiler/internal/model/configuration/features'
import { isVersionAtLeast, versionsOf } from '@kube-rules/compiler/internal/model/configuration/versions'
import { DiagnosticsError } from '@kube-rules/types'

/** The compile result of a version, with the features of this version. */
export interface CompiledVersion {
  readonly version: string
  readonly features: Features
  readonly result: CompileResult
}

/**
 * Compiles both versions and all versions between them, oldest first. Leaves out a version between them that rejects
 * the configuration.
 */
export function compileVersionsBetween(
  input: CompileInput,
  options: CompileOptions,
  versions: readonly [string, string],
): readonly CompiledVersion[] {
  const compileVersion = (kubernetesVersion: string) => compile(input, { ...options, kubernetesVersion })
  const [a, b] = [compileVersion(versions[0]), compileVersion(versions[1])]
  const [first, last] = isVersionAtLeast(b.kubernetesVersion, a.kubernetesVersion) ? [a, b] : [b, a]
  const between = versionsOf(first.mode).filter(
    (version) =>
      isVersionAtLeast(version, first.kubernetesVersion) && !isVersionAtLeast(version, last.kubernetesVersion),
  )
  const others = between
    .filter((version) => version !== first.kubernetesVersion)
    .flatMap((version) => ignoreDiagnosticsError(() => compileVersion(version)) ?? [])
  return [first, ...others, last].map((result) => ({
    version: result.kubernetesVersion,
    features: featuresOf(result),
    result,
  }))
}

function featuresOf(result: CompileResult): Features {
  const snapshot = snapshotOf(result)
  if (snapshot === undefined) throw new Error('the result was not compiled')
  return snapshot.context.features
}

/** Returns the result of `action`, or undefined if it throws because the configuration is rejected. */
export function ignoreDiagnosticsError<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (error instanceof DiagnosticsError) return undefined
    throw error
  }
}
