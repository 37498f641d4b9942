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

function unknownKeys(value: object, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(value).filter((key) => !known.has(key))
}
