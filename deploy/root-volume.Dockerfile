# For hosts that mount volumes with root as the owner and start nothing before the program, such as Fly and Railway: gives /data
# to the user of the program, then continues as that user. Where you can run `chown -R 1000:1000` on the volume, you do not need it.
ARG IMAGE=ghcr.io/tallyhook/tallyhook:0.1.0
FROM ${IMAGE}
USER root
ENTRYPOINT ["sh", "-c", "chown -R node:node /data && exec setpriv --reuid=node --regid=node --init-groups tallyhook \"$@\"", "tallyhook"]
CMD ["start"]
