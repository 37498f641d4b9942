import { type Fields, isObject } from './json-value.js'

const EXCLUDING_LABELS = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless']

/**
 * Whether kube-proxy does not watch an object with this metadata: one of two labels exists, whatever its value.
 * Mirrors the label selector of `ProxyServer.Run` (v1.30).
 */
export function isExcludedByLabel(metadata: Fields): boolean {
  const labels = metadata.labels
  return isObject(labels) && EXCLUDING_LABELS.some((label) => Object.hasOwn(labels, label))
}
