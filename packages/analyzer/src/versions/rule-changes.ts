import type {
  CompileInput,
  CompileOptions,
  CompileResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import { compileWithFeatures } from '@kube-rules/compiler/internal/compilation/compile-with-features'
import { type FeatureName, findDifferingFeatures } from '@kube-rules/compiler/internal/model/configuration/features'
import { print } from '@kube-rules/compiler/internal/print/print'
import { checkSideNames } from '../arguments/check-results.js'
import { type CompiledVersion, compileVersionsBetween, ignoreDiagnosticsError } from './versions-between.js'

/** A difference between two versions of kube-proxy that changes the text of rules. */
export interface RuleChange {
  /** The newer version, which is the first version with the changed rules. */
  readonly version: string
  /** The feature that differs, by its name in the table of features. */
  readonly feature: string
  /** Whether the feature begins with this version (true) or ends with it (false). */
  readonly isAdded: boolean
}

/**
 * Returns the features that change the rules of these objects between two versions of kube-proxy, oldest version first.
 * Compiles both versions and all versions between them. Where the text of the rules changes, each differing feature is
 * also compiled alone.
 *
 * @throws DiagnosticsError like `compile`.
 */
export function findRuleChanges(
  input: CompileInput,
  options: CompileOptions,
  versions: readonly [from: string, to: string],
): readonly RuleChange[] {
  checkSideNames('versions', versions)
  const steps = compileVersionsBetween(input, options, versions)
  return steps.slice(1).flatMap((newer, index) => changesTo(input, options, steps[index] as CompiledVersion, newer))
}

/** Returns the features that change the printed rules between two adjacent versions. */
function changesTo(
  input: CompileInput,
  options: CompileOptions,
  older: CompiledVersion,
  newer: CompiledVersion,
): readonly RuleChange[] {
  const [before, after] = [textOf(older.result), textOf(newer.result)]
  if (before === after) return []
  const changesAlone = (base: CompiledVersion, other: CompiledVersion, text: string) => (name: FeatureName) => {
    const changed = { [name]: other.features[name] }
    const result = ignoreDiagnosticsError(() =>
      compileWithFeatures(input, { ...options, kubernetesVersion: base.version }, changed),
    )
    return result !== undefined && textOf(result) !== text
  }
  const names = findDifferingFeatures(older.features, newer.features)
  const alone = names.filter(changesAlone(older, newer, before))
  const needed = alone.length > 0 ? alone : names.filter(changesAlone(newer, older, after))
  return needed.map((feature) => ({ version: newer.version, feature, isAdded: newer.features[feature] }))
}

function textOf({ families }: CompileResult): string {
  return families.map(({ state }) => print(state)).join('')
}
