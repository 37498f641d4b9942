import type { Plan, ServicePlan } from '../plan/plan.js'
import { openedPlan } from '../plan/proxy-claims.js'

/** The plan with those service ports only that claim an address and port, which decide what becomes of packets there. */
export function planAt(given: Plan): (place: { readonly address: string; readonly port: number }) => Plan {
  // What is not opened because of another place is not known there.
  const plan = openedPlan(given)
  const places = new Map<ServicePlan, number>()
  const claiming = new Map<string, ServicePlan[]>()
  for (const [place, service] of plan.services.entries()) {
    places.set(service, place)
    for (const { address = NODE, port } of service.frontends) {
      const claimants = claiming.get(`${address} ${port}`)
      if (claimants === undefined) claiming.set(`${address} ${port}`, [service])
      else claimants.push(service)
    }
  }
  const placeOf = (service: ServicePlan) => places.get(service) ?? 0
  return ({ address, port }) => {
    const claimants = [address, NODE].flatMap((each) => claiming.get(`${each} ${port}`) ?? [])
    return { ...plan, services: [...new Set(claimants)].sort((a, b) => placeOf(a) - placeOf(b)) }
  }
}

/** Stands for the addresses of the node. */
const NODE = 'node'
