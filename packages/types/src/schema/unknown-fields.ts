import { findClosestWord } from '../find-closest-word.js'
import { configurationFields } from './kube-proxy-configuration.js'
import { fieldOf, isObject } from './untyped.js'

export interface UnknownField {
  readonly path: string
  /** The name of the field that was probably meant. */
  readonly nearest: string | undefined
}

/**
 * Returns the fields of an object that KubeProxyConfiguration v1alpha1 does not define, such as
 * `iptables.masqueradeBits`, in the order of the object. Mirrors the strict decoding of kube-proxy v1.30, which logs
 * unknown fields and continues.
 */
export function findUnknownFields(value: unknown): readonly UnknownField[] {
  if (!isObject(value)) return []
  return [...configurationFields].flatMap(([section, known]) => {
    const part = section === '' ? value : fieldOf(value, section)
    const prefix = section === '' ? '' : `${section}.`
    if (!isObject(part)) return []
    return unknownKeys(part, known).map((key) => ({ path: `${prefix}${key}`, nearest: findClosestWord(key, known) }))
  })
}

/** The known fields of objects, by kind and by path; `[]` is any item of a list. */
const OBJECT_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Service: {
    '': 'apiVersion kind metadata spec status',
    spec:
      'allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy ' +
      'healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP ' +
      'loadBalancerSourceRanges ports publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig ' +
      'topologyKeys trafficDistribution type ipFamily',
    'spec.ports[]': 'appProtocol name nodePort port protocol targetPort',
  },
  EndpointSlice: {
    '': 'addressType apiVersion endpoints kind metadata ports',
    'endpoints[]': 'addresses conditions deprecatedTopology hints hostname nodeName targetRef topology zone',
    'endpoints[].conditions': 'ready serving terminating',
    'ports[]': 'appProtocol name port protocol',
  },
}

/** A field that is similar to a field of its object. */
export interface MisspelledField {
  readonly path: string
  readonly nearest: string
}

/**
 * Returns the fields of a Service or an EndpointSlice that Kubernetes does not define but that are similar to a defined
 * field. Other unknown fields may be fields of a newer version of Kubernetes.
 */
export function findMisspelledFields(kind: string, value: object): readonly MisspelledField[] {
  const sections = Object.hasOwn(OBJECT_FIELDS, kind) ? Object.entries(OBJECT_FIELDS[kind] ?? {}) : []
  return sections.flatMap(([section, fields]) => {
    const known = new Set(fields.split(' '))
    return partsAt(value, section).flatMap(({ path, part }) =>
      unknownKeys(part, known).flatMap((key) => {
        const nearest = findClosestWord(key, known)
        return nearest === undefined ? [] : [{ path: path === '' ? key : `${path}.${key}`, nearest }]
      }),
    )
  })
}

interface Part {
  readonly path: string
  readonly part: object
}

/** Returns the objects at a path such as `spec.ports[]`. */
function partsAt(value: object, section: string): readonly Part[] {
  let parts: readonly Part[] = [{ path: '', part: value }]
  for (const name of section === '' ? [] : section.split('.')) {
    const field = name.replace('[]', '')
    parts = parts.flatMap(({ path, part }) => {
      const at = path === '' ? field : `${path}.${field}`
      const found = fieldOf(part, field)
      const items = Array.isArray(found) ? found.map((item, index) => ({ path: `${at}[${index}]`, part: item })) : []
      return name.endsWith('[]') ? items.filter(hasObject) : [{ path: at, part: found }].filter(hasObject)
    })
  }
  return parts
}

function hasObject(part: { readonly path: string; readonly part: unknown }): part is Part {
  return isObject(part.part)
}

function unknownKeys(value: object, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(value).filter((key) => !known.has(key))
}
