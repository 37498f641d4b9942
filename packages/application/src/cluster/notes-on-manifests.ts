import type { Manifests } from '@kube-rules/types/schema'
import { count } from '../messages/count.js'
import { wantsClusterIP } from './assign-cluster-ips.js'

/** What to do about objects that rely on an API server to fill them in; no prefix. */
export function notesOnManifests({ services, endpointSlices, endpoints }: Manifests): readonly string[] {
  const homeless = [...services, ...endpointSlices, ...endpoints].filter(({ metadata }) => !metadata?.namespace).length
  const wanting = services.filter(wantsClusterIP).length
  return [
    ...(homeless === 0 ? [] : [`${objectsHave(homeless, 'object')} no namespace; --namespace NAME gives them one`]),
    ...(wanting === 0
      ? []
      : [
          `${objectsHave(wanting, 'Service')} no cluster IP, as an API server gives them; ` +
            '--assign-cluster-ips gives them some to review rules with',
        ]),
  ]
}

function objectsHave(number: number, noun: string): string {
  return `${count(number, noun)} ${number === 1 ? 'has' : 'have'}`
}
