import { fieldOf, textOf } from './untyped.js'

/**
 * The text of the KubeProxyConfiguration in a ConfigMap as kubeadm writes it (`data["config.conf"]`); undefined for
 * every other ConfigMap, also for one that has a `config.conf` of another program.
 */
export function configurationText(configMap: object): string | undefined {
  const text = textOf(fieldOf(configMap, 'data'), 'config.conf')
  return text?.includes('KubeProxyConfiguration') ? text : undefined
}
