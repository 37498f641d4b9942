/** The reason for the differences of a case that agrees with `withKeptSlices`. */
export const KEPT_SLICES_REASON =
  'kube-proxy keeps the endpoints of a slice for its former Service if the service-name label changes or disappears'

const SERVICE_NAME = 'kubernetes.io/service-name'

/**
 * Returns a case with the slices that kube-proxy still has for a former Service; undefined if there are none. A running
 * kube-proxy stores slices by Service. It stores a slice with a changed label for the new Service, ignores a slice
 * without the label, and removes a deleted slice only from the Service of its last label. The copies of former slices
 * have other names.
 */
export function withKeptSlices(conformanceCase) {
  const stored = new Map()
  let current = new Map()
  let isKept = false
  const steps = conformanceCase.steps.map((step) => {
    const next = new Map(step.objects.filter(isSlice).map((slice) => [nameOf(slice), slice]))
    for (const [name, slice] of current) if (!next.has(name)) stored.delete(keyOf(slice))
    for (const slice of next.values()) if (serviceOf(slice) !== undefined) stored.set(keyOf(slice), slice)
    current = next
    const former = [...stored.values()].filter((slice) => next.get(nameOf(slice)) !== slice)
    isKept ||= former.length > 0
    return { ...step, objects: [...step.objects, ...former.map(copyOf)] }
  })
  return isKept ? { ...conformanceCase, steps } : undefined
}

function isSlice({ kind }) {
  return kind === 'EndpointSlice'
}

function nameOf({ metadata }) {
  return `${metadata.namespace}/${metadata.name}`
}

function serviceOf({ metadata }) {
  return metadata.labels?.[SERVICE_NAME]
}

/** Returns the key under which kube-proxy stores a slice: its Service and its name. */
function keyOf(slice) {
  return `${nameOf(slice)} of ${serviceOf(slice)}`
}

function copyOf(slice) {
  const name = `${slice.metadata.name}.of.${serviceOf(slice)}`
  return { ...slice, metadata: { ...slice.metadata, name } }
}
