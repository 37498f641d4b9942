import { needsClusterIP } from '@kube-rules/types/internal/manifests/assume-services'
import { getStringAt, type ManifestObject } from '@kube-rules/types/internal/manifests/manifest-objects'
import type { Manifests } from '@kube-rules/types/schema'
import { formatCount } from '../messages/lines.js'

/**
 * Returns notes, without a `note: ` prefix, about objects without a cluster IP, which an API server would set, and about
 * objects that have to be rendered first.
 */
export function listManifestNotes(
  { services }: Manifests,
  manifestObjects: readonly ManifestObject[],
): readonly string[] {
  const wanting = services.filter(needsClusterIP).length
  const notes =
    wanting === 0
      ? []
      : [
          `${formatCount(wanting, 'Service')} ${wanting === 1 ? 'has' : 'have'} no cluster IP, which an API server would assign; ` +
            'to review rules, assign cluster IPs with --assume',
        ]
  return [...notes, ...listRenderingNotes(manifestObjects, ['Template'])]
}

/** Returns a note for each kind of object that is only the source of other objects, with the command that renders it. */
export function listRenderingNotes(
  manifestObjects: readonly ManifestObject[],
  kinds: readonly string[],
): readonly string[] {
  return RENDERERS.flatMap(({ kind, group, note }) =>
    kinds.includes(kind) && manifestObjects.some((each) => each.kind === kind && isOfGroup(each.value, group))
      ? [note]
      : [],
  )
}

interface Renderer {
  readonly kind: string
  readonly group: string
  readonly note: string
}

const RENDERERS: readonly Renderer[] = [
  {
    kind: 'Template',
    group: 'template.openshift.io',
    note: 'objects of a Template are not read; render it first: oc process -f FILE -o yaml --local | kube-rules print -f -',
  },
  {
    kind: 'Kustomization',
    group: 'kustomize.config.k8s.io',
    note: 'a Kustomization may change the objects; render it first: kubectl kustomize DIRECTORY | kube-rules print -f -',
  },
]

/** Reports whether an object has the group in its `apiVersion`. Some kinds may omit it, or are of the group `v1`. */
function isOfGroup(value: object, group: string): boolean {
  const apiVersion = getStringAt(value, 'apiVersion')
  return apiVersion === undefined || apiVersion === 'v1' || apiVersion.startsWith(`${group}/`)
}
