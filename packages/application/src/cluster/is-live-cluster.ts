import { getStringAt, isOfKind, type ManifestObject } from '@kube-rules/types/internal/manifests/manifest-objects'

/**
 * Reports whether objects are from a live cluster, where every Service with a selector has an EndpointSlice. The samples
 * of the Kubernetes documentation also have EndpointSlices, but neither namespaces nor cluster IPs.
 */
export function isLiveCluster(given: readonly ManifestObject[]): boolean {
  const endpoints = given.filter((object) => isOfKind(object, 'EndpointSlice') || isOfKind(object, 'Endpoints'))
  const services = given.filter((object) => isOfKind(object, 'Service'))
  const isAnyNamespaced = endpoints.some(({ value }) => getStringAt(value, 'metadata', 'namespace') !== undefined)
  return isAnyNamespaced || (endpoints.length > 0 && services.every(({ value }) => hasClusterIP(value)))
}

function hasClusterIP(service: object): boolean {
  return (
    getStringAt(service, 'spec', 'clusterIP') !== undefined || getStringAt(service, 'spec', 'type') === 'ExternalName'
  )
}
