import { type ApiRequest, sendRequest } from './api.js'
import type { Connect } from './connection.js'
import { type Logger, textOf } from './log.js'

/** Creates an event of the API about the Node or a Service, and logs a failure: nothing depends on events. */
export type RecordEvent = (
  type: 'Normal' | 'Warning',
  reason: string,
  action: string,
  note: string,
  service?: { readonly namespace: string; readonly name: string },
) => void

export function createEventRecorder(
  connect: Connect,
  nodeName: string,
  log: Logger,
  onReport?: ApiRequest['onReport'],
): RecordEvent {
  return (type, reason, action, note, service) => {
    const [now, unique] = [Date.now(), Math.floor(Math.random() * 1e6)]
    const namespace = service?.namespace ?? 'default'
    const regarding = service
      ? { kind: 'Service', ...service, uid: `${namespace}/${service.name}` }
      : { kind: 'Node', name: nodeName, uid: nodeName }
    const body = {
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', type, reason, action, note: note.slice(0, 1_000) },
      metadata: { namespace, name: `${nodeName}.${now.toString(16)}${unique.toString(16)}` },
      // The format has microseconds.
      eventTime: new Date(now).toISOString().replace('Z', '000Z'),
      ...{ reportingController: 'kube-rules-proxy', reportingInstance: `kube-rules-proxy-${nodeName}` },
      regarding,
    }
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`
    sendRequest(connect, { path, body, silence: 10_000, onReport }).then(
      ({ status }) => status >= 300 && log.warning('an event is not created', { reason, status }),
      (error) => log.warning('an event is not created', { reason, error: textOf(error) }),
    )
  }
}
