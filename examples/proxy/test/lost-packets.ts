import { Socket } from 'node:net'
import type { KubeConfig } from '@kubernetes/client-node'
import { connectTo } from '../src/connection.js'

/** Returns a connection whose sockets `createSocket` creates. */
export function connectWith(server: string, createSocket: () => Socket): KubeConfig {
  const kubeConfig = connectTo(server)
  kubeConfig.applyToHTTPSOptions = async (options) => void Object.assign(options, { createConnection: createSocket })
  return kubeConfig
}

/** Returns a connection over a network that loses all packets, so that no connection attempt gets an answer. */
export function connectWithLoss(server: string): KubeConfig {
  return connectWith(server, () => Object.assign(new Socket(), { connecting: true }))
}
