import type { CompileResult } from '@kube-rules/compiler'
import { type ProxyHealth, writeConfiguration } from '@kube-rules/proxy-kit'
import type { Settings } from './configuration.js'
import type { RecordEvent } from './events.js'
import { answer, type HealthFacts, healthRoutes, type Routes, serve } from './health.js'
import type { Logger } from './log.js'
import { type Metrics, recordResult } from './metrics.js'
import { type StatusPageOptions, statusPages } from './status-pages.js'

export interface StatusServerOptions extends Pick<Settings, 'configuration' | 'complete' | 'mode'>, StatusPageOptions {
  readonly health: ProxyHealth
  readonly healthFacts: HealthFacts
  readonly metrics: Metrics
  /** Returns the last programmed result. */
  readonly programmed: () => CompileResult | undefined
  readonly recordEvent: RecordEvent
  readonly fail: (reason: string) => void
  readonly log: Logger
}

/** Starts the servers of health and of metrics, at the addresses of the configuration. */
export function startStatusServers(options: StatusServerOptions): readonly { close(): void }[] {
  const { configuration, complete, health, metrics, recordEvent, fail, log } = options
  const listen = (field: 'healthzBindAddress' | 'metricsBindAddress', served: Routes, reason: string) => {
    if (configuration[field] === '') return []
    const onFailure = (error: string) => {
      if (!complete.bindAddressHardFail) return
      recordEvent('Warning', reason, 'StartKubeProxy', error)
      fail(error)
    }
    return [serve(complete[field], served, log, onFailure)]
  }
  const ofHealth = healthRoutes(health, metrics, options.healthFacts)
  return [
    ...listen('healthzBindAddress', ofHealth, 'FailedToStartProxierHealthcheck'),
    ...listen('metricsBindAddress', metricRoutes(options), 'FailedToStartMetricServer'),
  ]
}

function metricRoutes({ complete, mode, metrics, programmed, ...pages }: StatusServerOptions): Routes {
  const written = writeConfiguration(complete)
  return {
    '/metrics': answer(() => {
      const result = programmed()
      if (result !== undefined) recordResult(metrics, result)
      return metrics.registry.metrics()
    }, metrics.registry.contentType),
    '/proxyMode': answer(() => mode),
    '/healthz': answer(() => 'ok'),
    '/configz': answer(() => JSON.stringify({ 'kubeproxy.config.k8s.io': written }), 'application/json'),
    ...statusPages(pages),
  }
}
