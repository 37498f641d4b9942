import { fieldOf, nonEmptyStringOf } from './untyped.js'

/**
 * Returns the KubeProxyConfiguration text of a kubeadm ConfigMap (`data["config.conf"]`). Returns undefined for any
 * other ConfigMap, including a ConfigMap with a `config.conf` of another program.
 */
export function readConfigurationText(configMap: object): string | undefined {
  const text = nonEmptyStringOf(fieldOf(configMap, 'data'), 'config.conf')
  return text?.includes('KubeProxyConfiguration') ? text : undefined
}
