import type { EffectiveConfiguration, EffectiveLogging, EffectiveVmodule } from './effective-configuration.js'
import type { Features } from './features.js'
import { checkPositiveDuration, createViolations, type FieldPath, type Violation } from './violation.js'

/** Checks settings that affect only the kube-proxy process and no rule. */
export function checkProcessSettings(
  { clientConnection, oomScoreAdj, udpIdleTimeout, configSyncPeriod }: EffectiveConfiguration,
  features: Features,
): readonly Violation[] {
  const burst = {
    path: 'clientConnection.burst',
    field: 'ClientConnection.Burst',
    value: String(clientConnection.burst),
  }
  const oom = { path: 'oomScoreAdj', field: 'OOMScoreAdj', value: String(oomScoreAdj) }
  const outside = oomScoreAdj < -1000 || oomScoreAdj > 1000
  return [
    ...(clientConnection.burst < 0 ? [{ ...burst, problem: 'must be non-negative' }] : []),
    ...(outside ? [{ ...oom, problem: 'must be within the range [-1000, 1000]' }] : []),
    ...(features.udpIdleTimeout
      ? checkPositiveDuration({ path: 'udpIdleTimeout', field: 'UDPIdleTimeout' }, udpIdleTimeout)
      : []),
    ...checkPositiveDuration({ path: 'configSyncPeriod', field: 'ConfigSyncPeriod' }, configSyncPeriod),
  ]
}

export function checkHiddenMetrics(version: string, previous: string): readonly Violation[] {
  if (version === '' || version === previous) return []
  const place = { path: 'showHiddenMetricsForVersion', field: 'ShowHiddenMetricsForVersion' }
  const problem = `must be omitted or have the value '${previous}'. Only the previous minor version is allowed`
  return createViolations(place, version, `--show-hidden-metrics-for-version ${problem}`)
}

const HIGHEST_VERBOSITY = 2 ** 31 - 1

/**
 * Checks the logging section. Mirrors `Validate` of `component-base/logs/api/v1`, excluding the alpha options of each
 * format.
 */
export function checkLogging({ format, verbosity, vmodule }: EffectiveLogging): readonly Violation[] {
  return [
    ...(format === 'text' || format === 'json' ? [] : createViolations(at('format'), format, 'Unsupported log format')),
    ...checkVerbosity(at('verbosity'), verbosity),
    ...(format !== 'text' && vmodule.length > 0
      ? [{ ...at('vmodule'), value: `${vmodule.length} entries`, problem: 'Only supported for text log format' }]
      : []),
    ...vmodule.flatMap(checkVmodule),
  ]
}

function checkVmodule({ filePattern, verbosity }: EffectiveVmodule, index: number): readonly Violation[] {
  const place = at(`vmodule[${index}].filePattern`)
  return [
    ...(filePattern === '' ? createViolations(place, filePattern, 'File pattern must not be empty') : []),
    ...(/[=,]/.test(filePattern)
      ? createViolations(place, filePattern, 'File pattern must not contain equal sign or comma')
      : []),
    ...checkVerbosity(at(`vmodule[${index}].verbosity`), verbosity),
  ]
}

function checkVerbosity(place: FieldPath, verbosity: number): readonly Violation[] {
  if (Number.isInteger(verbosity) && verbosity >= 0 && verbosity <= HIGHEST_VERBOSITY) return []
  return [{ ...place, value: String(verbosity), problem: `Must be <= ${HIGHEST_VERBOSITY}` }]
}

function at(path: string): FieldPath {
  return { path: `logging.${path}`, field: `logging.${path}` }
}
