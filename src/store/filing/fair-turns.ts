/** Sharing what is scarce among networks, so that a network that sends much leaves room for the others. */
import { networkAround } from '../../platform/networks.ts'

/**
 * Reorders rows so that networks take turns: first the first row of each network, then the second of each, and so on.
 * Otherwise, the order stays. An IPv6 network is a /48, which one customer may have.
 */
export function inTurns<R extends { client_address: string }>(rows: readonly R[]): R[] {
  const seen = new Map<string, number>()
  const turns = rows.map(row => {
    const network = networkAround(row.client_address, 48)
    const turn = seen.get(network) ?? 0
    seen.set(network, turn + 1)
    return { row, turn }
  })
  return turns.sort((one, other) => one.turn - other.turn).map(({ row }) => row)
}
