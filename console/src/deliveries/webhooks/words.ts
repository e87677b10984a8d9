import type { Tone } from '../parts/mark.tsx';
import type { Delivery, Endpoint } from './queries.ts';
import { texts } from '../../texts.ts';

export const TONES: Record<Delivery['status'], Tone> = { pending: 'waiting', retrying: 'waiting', succeeded: 'good', failed: 'bad', canceled: 'plain' };

/** Whether an endpoint gets events, and if not, why. */
export function stateOf(endpoint: Endpoint): { tone: Tone; word: string } {
  const { states } = texts.deliveries.webhooks;
  if (endpoint.enabled) return { tone: 'good', word: states.on };
  return endpoint.disabled_reason === 'failing' ? { tone: 'bad', word: states.failing } : { tone: 'plain', word: states.off };
}
