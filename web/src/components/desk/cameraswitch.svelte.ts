import type { Component } from 'svelte';
import { need } from '../../lib/session/reload';

/** Switches the camera on and off. What it takes comes with the first use. */
export class CameraSwitch {
  view = $state.raw<Component<{ scan: (code: string) => void }> | undefined>();

  async toggle(): Promise<void> {
    this.view = this.view ? undefined : (await need(() => import('./Camera.svelte')))?.default;
  }

  off(): void {
    this.view = undefined;
  }
}
