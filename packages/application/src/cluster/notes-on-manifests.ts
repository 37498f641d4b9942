import type { Manifests } from '@kube-rules/types/schema'
import { needsClusterIP } from '../assume/assume-services.js'
import { formatCount } from '../messages/lines.js'

/**
 * Returns notes, without a `note: ` prefix, about objects without a namespace or a cluster IP, which an API server
 * would set.
 */
export function listManifestNotes({ services, endpointSlices, endpoints }: Manifests): readonly string[] {
  const homeless = [...services, ...endpointSlices, ...endpoints].filter(({ metadata }) => !metadata?.namespace).length
  const wanting = services.filter(needsClusterIP).length
  return [
    ...(homeless === 0 ? [] : [`${objectsHave(homeless, 'object')} no namespace; to set one, use --namespace NAME`]),
    ...(wanting === 0
      ? []
      : [
          `${objectsHave(wanting, 'Service')} no cluster IP, which an API server would assign; ` +
            'to review rules, assign cluster IPs with --assume',
        ]),
  ]
}

function objectsHave(number: number, noun: string): string {
  return `${formatCount(number, noun)} ${number === 1 ? 'has' : 'have'}`
}
