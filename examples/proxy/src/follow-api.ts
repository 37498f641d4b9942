import type { WatchedKind } from '@kube-rules/proxy-kit'
import { isReachable } from './api.js'
import { createNetworkProbe } from './network-probe.js'
import type { ProxyOptions } from './proxy.js'
import { type Receiver, type Reflection, type ReflectOptions, reflect } from './reflect.js'

/**
 * Follows the objects of all kinds. Requests from before the end of a network failure are sent again, because their
 * connections may stay silent.
 */
export function followApi(
  sources: readonly WatchedKind[],
  receiver: Receiver,
  onReport: ReflectOptions['onReport'],
  { connect, log, reflectTimes: times, networkProbeTimes }: ProxyOptions,
) {
  const reflections: Reflection[] = []
  const probe = createNetworkProbe({
    isReachable: () => isReachable(connect, { connectTimeout: times?.connect, onReport }),
    onRecovery: (failedSince) => {
      for (const reflection of reflections) reflection.resend(failedSince)
    },
    times: networkProbeTimes,
  })
  for (const source of sources)
    reflections.push(reflect({ connect, source, receiver, log, times, onReport, onPart: probe.hear }))
  return {
    stop: (): void => {
      probe.stop()
      for (const reflection of reflections) reflection.stop()
    },
  }
}
