import { versionOf } from './actual.mjs'

const HEADLESS = 'service.kubernetes.io/headless'
const PROXY_NAME = 'service.kubernetes.io/service-proxy-name'

/**
 * Returns a case without the objects that only the label selectors of kube-proxy 1.35 and older exclude; undefined if
 * there are none. The recorder of some cases of 1.36 and newer applied these selectors before it called the proxier,
 * while kube-proxy 1.36 watches these objects.
 */
export function withOlderSelectors(conformanceCase) {
  const [major, minor] = versionOf(conformanceCase).split('.').map(Number)
  if (major === 1 && minor < 36) return undefined
  const steps = conformanceCase.steps.map((step) => ({ ...step, objects: step.objects.filter(isWatchedByOlder) }))
  const isEqual = steps.every(({ objects }, index) => objects.length === conformanceCase.steps[index].objects.length)
  return isEqual ? undefined : { ...conformanceCase, steps }
}

function isWatchedByOlder({ kind, metadata }) {
  const has = (label) => Object.hasOwn(metadata?.labels ?? {}, label)
  if (kind === 'Service') return !has(HEADLESS)
  return kind !== 'EndpointSlice' || !has(PROXY_NAME)
}
