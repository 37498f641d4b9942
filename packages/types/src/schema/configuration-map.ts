import { fieldOf, isObject, nonEmptyStringOf } from './untyped.js'

/** The text of a KubeProxyConfiguration in a ConfigMap, and its key. */
export interface ConfigurationText {
  readonly key: string
  readonly text: string
}

/**
 * Returns the KubeProxyConfiguration text of a ConfigMap, under any key: `config.conf` of kubeadm, `config` of EKS,
 * `config.yaml` of Tanzu. If several keys have one, `config.conf` counts, or else the first key in code-unit order.
 * Returns undefined for any other ConfigMap, including a ConfigMap with a `config.conf` of another program.
 */
export function readConfigurationText(configMap: object): ConfigurationText | undefined {
  const data = fieldOf(configMap, 'data')
  const keys = isObject(data) ? Object.keys(data).sort() : []
  for (const key of ['config.conf', ...keys]) {
    const text = nonEmptyStringOf(data, key)
    if (text?.includes('KubeProxyConfiguration')) return { key, text }
  }
  return undefined
}
