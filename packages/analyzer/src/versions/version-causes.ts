import { checkPacket } from '@kube-rules/compiler/internal/arguments/check-packet'
import type {
  CompileInput,
  CompileOptions,
  CompileResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import { compileWithFeatures } from '@kube-rules/compiler/internal/compilation/compile-with-features'
import {
  type FeatureName,
  type Features,
  findDifferingFeatures,
} from '@kube-rules/compiler/internal/model/configuration/features'
import type { Packet } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import { checkSideNames } from '../arguments/check-results.js'
import { comparePaths } from '../compare/compare-paths.js'
import type { VersionCause } from '../compare/comparison.js'
import { createReadSet } from '../program/read-set.js'
import { getTracer } from '../trace/trace.js'
import { traceContextFor } from '../trace/trace-context.js'
import type { TracePath } from '../trace/trace-paths.js'
import { FEATURE_CHANGES } from './feature-changes.js'
import { compileVersionsBetween, ignoreDiagnosticsError } from './versions-between.js'

/**
 * Returns a function that finds the causes if two versions of kube-proxy handle a packet differently. The function
 * traces the packet in both versions and in every version between them. Where the outcome changes, it also traces the
 * packet with each differing feature alone.
 *
 * @throws DiagnosticsError like `compile`.
 */
export function createVersionExplainer(
  input: CompileInput,
  options: CompileOptions,
  versions: readonly [from: string, to: string],
): (packet: Packet) => readonly VersionCause[] {
  checkSideNames('versions', versions)
  const steps = compileVersionsBetween(input, options, versions).map(
    ({ version, features, result }): VersionPaths => ({ version, features, pathsOf: pathsIn(result) }),
  )
  const causesAt = steps
    .slice(1)
    .map((newer, index) => causeFinder(input, options, steps[index] as VersionPaths, newer))
  return (packet) => {
    checkPacket(packet)
    return causesAt.flatMap((find) => find(packet))
  }
}

/** A version with its features and a function that traces packets. */
interface VersionPaths {
  readonly version: string
  readonly features: Features
  readonly pathsOf: PathsOf
}

type PathsOf = (packet: Packet) => readonly TracePath[]

function pathsIn({ families }: CompileResult): PathsOf {
  return (packet) => {
    const ownFamily = families.find(({ family }) => family === familyOf(packet.destination))
    return ownFamily === undefined
      ? []
      : getTracer(ownFamily.state, traceContextFor(ownFamily.plan)).trace(packet, createReadSet())
  }
}

/** Returns a function that finds the causes of a difference between two adjacent versions. */
function causeFinder(
  input: CompileInput,
  options: CompileOptions,
  older: VersionPaths,
  newer: VersionPaths,
): (packet: Packet) => readonly VersionCause[] {
  const names = findDifferingFeatures(older.features, newer.features)
  const advanced = withFeatures(input, options, older, newer)
  const reverted = withFeatures(input, options, newer, older)
  return (packet) => {
    const [before, after] = [older.pathsOf(packet), newer.pathsOf(packet)]
    if (comparePaths(before, after) === 'same') return []
    const differ = (paths: readonly TracePath[], other: PathsOf | undefined) =>
      other !== undefined && comparePaths(paths, other(packet)) !== 'same'
    const alone = names.filter((name) => differ(before, advanced([name])))
    const needed = alone.length > 0 ? alone : names.filter((name) => differ(after, reverted([name])))
    const features = needed.length > 0 ? needed : turningPoints(names, (some) => differ(before, advanced(some)))
    const causes = features.map((feature) => ({ version: newer.version, feature, ...FEATURE_CHANGES[feature] }))
    return differ(after, advanced(names)) ? [...causes, { version: newer.version, ...CONFIGURATION_CHANGE }] : causes
  }
}

/**
 * The cause of a difference that remains when both versions are compiled with the same features. The same configuration
 * then has a different effect in the two versions.
 */
const CONFIGURATION_CHANGE = {
  feature: 'configuration',
  summary: 'older versions ignore some fields of the configuration',
}

/** Enables the features in `names` cumulatively. Returns the features after which the result of `differs` changes. */
function turningPoints(
  names: readonly FeatureName[],
  differs: (some: readonly FeatureName[]) => boolean,
): readonly FeatureName[] {
  const results = names.map((_, index) => differs(names.slice(0, index + 1)))
  return names.filter((_, index) => results[index] !== (results[index - 1] ?? false))
}

/**
 * Returns a function that compiles this version with the named features of the other version and returns a function
 * that traces packets through the compiled rules. The result is undefined if the configuration is rejected.
 */
function withFeatures(
  input: CompileInput,
  options: CompileOptions,
  { version: kubernetesVersion }: VersionPaths,
  other: VersionPaths,
): (names: readonly FeatureName[]) => PathsOf | undefined {
  const known = new Map<string, PathsOf | undefined>()
  return (names) => {
    const key = names.join()
    if (!known.has(key)) {
      const features = Object.fromEntries(names.map((name) => [name, other.features[name]]))
      const result = ignoreDiagnosticsError(() =>
        compileWithFeatures(input, { ...options, kubernetesVersion }, features),
      )
      known.set(key, result && pathsIn(result))
    }
    return known.get(key)
  }
}
