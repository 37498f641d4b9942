import { formatNames } from '@kube-rules/application/doctor'
import { InputError } from '@kube-rules/application/messages'
import type { Service } from '@kube-rules/types'
import { findClosestWord } from '@kube-rules/types/internal/find-closest-word'

/**
 * Creates a function that reports whether a service port, such as `default/web:http/TCP`, belongs to the Service or the
 * namespace to check. `service` is `default/web`, `svc/web` or `web`. `invalid`: the names of Services that are left out
 * of `services`, because they are invalid.
 *
 * @throws InputError if there is no such Service.
 */
export function createServiceFilter(
  service: string | undefined,
  namespace: string | undefined,
  services: readonly Service[],
  invalid: Iterable<string> = [],
): (owner: string) => boolean {
  if (service === undefined) return (owner) => namespace === undefined || owner.startsWith(`${namespace}/`)
  const words = service.replace(/^(?:svc|services?)\//, '').split('/')
  const [name = '', from = namespace ?? 'default'] = words.reverse()
  const isKnown = services.some(({ metadata }) => metadata?.name === name && (metadata.namespace ?? 'default') === from)
  const isInvalid = [...invalid].includes(`${from}/${name}`)
  if (!(isKnown || isInvalid) || words.length > 2) {
    throw new InputError(`there is no Service ${from}/${name}${suggestService(name, from, services)}`)
  }
  return (owner) => owner.startsWith(`${from}/${name}:`) || owner.startsWith(`${from}/${name}/`)
}

/** Suggests the Services of this name in other namespaces, or the one in the namespace with the most similar name. */
function suggestService(name: string, namespace: string, services: readonly Service[]): string {
  const known = services.map(({ metadata }) => ({
    namespace: metadata?.namespace ?? 'default',
    name: metadata?.name ?? '',
  }))
  const others = known.filter((each) => each.name === name).map((each) => `${each.namespace}/${name}`)
  if (others.length > 0) return `, but ${formatNames(others)}`
  const near = known.filter((each) => each.namespace === namespace).map((each) => each.name)
  const closest = findClosestWord(name, near)
  return closest === undefined ? '' : `; did you mean ${namespace}/${closest}?`
}
